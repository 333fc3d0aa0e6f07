# rwin tune --rate 1G --rtt 200ms --platform windows --format ps1 (Windows 8 and later)
#Requires -RunAsAdministrator
$ErrorActionPreference = 'Stop'
# What is set now: keep this output to go back.
netsh interface tcp show global
netsh interface tcp show heuristics
netsh interface tcp set heuristics disabled
Set-NetTCPSetting -SettingName Internet -AutoTuningLevelLocal experimental
# What is set after it:
netsh interface tcp show global
netsh interface tcp show heuristics
