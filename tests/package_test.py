#!/usr/bin/env python3
"""The package: made, looked at, installed into an empty root folder, used, removed; and the sources of a commit.

usage: package_test.py install BUILD     dpkg puts the package into an empty root; removal leaves nothing (needs root)
       package_test.py lintian BUILD     lintian finds no error
       package_test.py tarball           two runs at different times, places and settings write the same bytes
BUILD is a build folder with the program and what it wrote, below the root of the project, where this runs. Exit status 77: skipped.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)


def good(*command, **more):
    ran = run(*command, **more)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {ran.returncode}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            print(f"skipped: {program} is not installed")
            sys.exit(77)


def expect(condition, message):
    if not condition:
        sys.exit(message)


def make_package(build, folder):
    need("dpkg-deb", "dpkg-shlibdeps", "gzip")
    # What an umask of the builder's leaves in the folders is no part of the package.
    os.umask(0o027)
    good("cpack", "--config", os.path.join(build, "CPackConfig.cmake"), "-B", folder)
    os.umask(0o022)
    packages = [name for name in os.listdir(folder) if name.endswith(".deb")]
    expect(len(packages) == 1, f"one package is expected, not {packages}")
    return os.path.join(folder, packages[0])


def check_control(package):
    field = {name: good("dpkg-deb", "-f", package, name).strip() for name in
             ("Package", "Version", "Architecture", "Section", "Depends", "Recommends", "Description")}
    expect(field["Package"] == "rwin" and field["Section"] == "net" and field["Architecture"], f"control: {field}")
    for library in ("libpcap0.8", "libc6", "libstdc++6", "libncursesw6", "libarchive13"):
        expect(library in field["Depends"], f"Depends lacks {library}: {field['Depends']}")
    expect("libcap2-bin" in field["Recommends"], "Recommends: setcap's package is not there")
    # Nothing runs on installing: no capability is given without being asked for.
    scripts = set(os.listdir(unpack_control(package))) - {"control", "md5sums"}
    expect(not scripts, f"maintainer scripts: {scripts}")
    for line in good("dpkg-deb", "-c", package).splitlines():
        mode, owner, path = line.split()[0], line.split()[1], line.split()[-1]
        wanted = "drwxr-xr-x" if path.endswith("/") else "-rwxr-xr-x" if path == "./usr/bin/rwin" else "-rw-r--r--"
        expect(mode == wanted and owner == "root/root", f"{path}: {mode} {owner}")


def unpack_control(package):
    folder = tempfile.mkdtemp(dir=os.path.dirname(package))
    good("dpkg-deb", "-e", package, folder)
    return folder


def tree(root):
    found = set()
    for where, folders, files in os.walk(root):
        found.update(os.path.relpath(os.path.join(where, name), root) for name in folders + files)
    return {name for name in found if not name.startswith("var/")}


def install(build):
    if os.geteuid() != 0:
        print("skipped: dpkg gives files to root, and this is not root")
        sys.exit(77)
    need("dpkg", "bash")
    with tempfile.TemporaryDirectory() as folder:
        package = make_package(build, folder)
        check_control(package)
        root = os.path.join(folder, "root")
        for name in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "var/log"):
            os.makedirs(os.path.join(root, name))
        open(os.path.join(root, "var/lib/dpkg/status"), "w", encoding="utf-8").close()
        before = tree(root)
        # The libraries are this system's: in an empty root they are not there.
        dpkg = ["dpkg", f"--root={root}", "--force-depends", "--log=/dev/null"]
        good(*dpkg, "-i", package)
        state = good("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f=${Status}", "rwin")
        expect(state == "install ok installed", f"after installing: {state}")
        use(root)
        good(*dpkg, "--purge", "rwin")
        left = tree(root) - before
        expect(not left, f"left behind: {sorted(left)}")


def use(root):
    at = lambda name: os.path.join(root, "usr", name)
    program = at("bin/rwin")
    version = good(program, "-V").splitlines()[0]
    expect(version.startswith("rwin ") and version in good("dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W",
           "-f=rwin ${Version}", "rwin"), f"-V: {version}")
    expect(not hasattr(os, "listxattr") or "security.capability" not in os.listxattr(program), "the program has capabilities")
    report = good(program, "pcaps/article-rwin32k-rtt330-receiver.pcap.gz")
    expect("RECEIVER WINDOW limits" in report, "the report of a capture")
    if shutil.which("man"):
        page = good("man", "-M", at("share/man"), "rwin", env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "90"})
        expect("--target-rate RATE" in page and "EXIT STATUS" in page, "man rwin")
    completion = at("share/bash-completion/completions/rwin")
    offered = good("bash", "--norc", "-c", f". {completion}; complete -p rwin; COMP_WORDS=(rwin --targ) COMP_CWORD=1; _rwin; "
                   'echo "${COMPREPLY[@]}"').splitlines()
    expect(offered[0].endswith("-F _rwin rwin") and offered[1] == "--target-rate", f"completion in bash: {offered}")
    for name in ("fish/vendor_completions.d/rwin.fish", "zsh/vendor-completions/_rwin", "doc/rwin/copyright",
                 "doc/rwin/changelog.gz", "doc/rwin/changelog.Debian.gz", "doc/rwin/README.Debian",
                 "doc/rwin/examples/rules/platforms/linux.toml"):
        expect(os.path.getsize(at("share/" + name)) > 100, f"{name} is not there")
    sample = at("share/doc/rwin/examples/config.toml")
    printed = good(program, "--config", sample, "--print-config", env={"PATH": os.environ["PATH"]})
    expect("top = 20  # " + sample in printed, "the sample settings")
    expect(sys.platform != "linux" or "/home/" not in open(sample, encoding="utf-8").read(), "the sample settings name the builder's folder")
    rules = at("share/doc/rwin/examples/rules")
    good(program, "--rules", rules, "-o", "/dev/null", "pcaps/article-rwin32k-rtt330-receiver.pcap.gz")


def lintian(build):
    need("lintian")
    with tempfile.TemporaryDirectory() as folder:
        package = make_package(build, folder)
        allow = ["--allow-root"] if os.geteuid() == 0 else []
        ran = run("lintian", "--fail-on", "error", *allow, package)
        print(ran.stdout, ran.stderr, sep="", end="")
        expect(ran.returncode == 0, f"lintian: exit status {ran.returncode}")


def tarball():
    need("git", "gzip")
    if run("git", "rev-parse", "HEAD").returncode != 0:
        print("skipped: this is no clone")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        first, second, clone = (os.path.join(folder, name) for name in ("a", "b", "clone"))
        os.mkdir(first)
        os.mkdir(second)
        one = good("scripts/tarball", first).strip()
        good("git", "clone", "--quiet", "--no-hardlinks", ".", clone)
        time.sleep(1.1)
        other = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "HOME": folder}
        two = good("bash", "-c", 'umask 077; exec scripts/tarball "$0"', second, cwd=clone, env=other).strip()
        sums = [hashlib.sha256(open(name, "rb").read()).hexdigest() for name in (one, two)]
        expect(sums[0] == sums[1], f"two runs differ: {sums}")
        with tarfile.open(one) as archive:
            names = archive.getnames()
        top = os.path.basename(one).removesuffix(".tar.gz")
        listed = good("git", "ls-tree", "-r", "--name-only", "HEAD").splitlines()
        missing = {f"{top}/{name}" for name in listed} - set(names)
        expect(not missing, f"not in the archive: {sorted(missing)[:5]}")
        print(f"{os.path.basename(one)}: {len(names)} entries, sha256 {sums[0]}")


def main():
    if sys.argv[1:2] == ["tarball"]:
        tarball()
    elif len(sys.argv) == 3 and sys.argv[1] in ("install", "lintian"):
        {"install": install, "lintian": lintian}[sys.argv[1]](os.path.abspath(sys.argv[2]))
    else:
        sys.exit(__doc__)
    print("ok")


main()
