-- What rwin says of many captures. ClickHouse 18.16 and later: no types or functions that came after it.
-- On every shard: this file. `fleet` is the name of the cluster in the servers' <remote_servers>.
CREATE DATABASE IF NOT EXISTS rwin;

-- A capture that was loaded. Written last: rows of `directions` count only when their load stands here.
CREATE TABLE IF NOT EXISTS rwin.captures_shard (
    capture     String,             -- sha256 of the file, 32 digits
    load        UInt64,             -- of several loads of one capture the smallest counts
    name        String,
    day         Date,               -- of the first packet, UTC
    first_ns    Int64,
    last_ns     Int64,
    packets     UInt64,
    tcp_packets UInt64,
    connections UInt64,
    exit_code   UInt8,
    error       String              -- empty: none
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (capture, load);

-- One direction of data of one connection.
CREATE TABLE IF NOT EXISTS rwin.directions_shard (
    capture       String,
    load          UInt64,
    connection    UInt64,
    day           Date,
    start         DateTime,         -- UTC, whole seconds
    start_ns      Int64,
    client_ip     String,
    client_net    String,           -- /24, IPv6 /48
    client_os     String,
    server_ip     String,
    server_port   UInt16,
    server_os     String,
    sender        Enum8('client' = 1, 'server' = 2),
    receiver_ip   String,
    bytes         UInt64,
    duration_us   UInt64,
    goodput_bps   Nullable(Float64),
    rtt_base_us   Nullable(UInt64),
    window_max    Nullable(UInt64),
    capacity_bps  Nullable(Float64),
    blocked_share Nullable(Float64),
    retransmitted_segments UInt64,
    segments      UInt64,
    limit_class   String,
    cause         String,
    confidence    Enum8('low' = 1, 'medium' = 2, 'high' = 3),
    potential_bps Nullable(Float64),
    gain          Float64,
    advice        String,
    change_host   String
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (client_net, server_ip, start_ns);

CREATE TABLE IF NOT EXISTS rwin.captures AS rwin.captures_shard
    ENGINE = Distributed(fleet, rwin, captures_shard, cityHash64(capture));
CREATE TABLE IF NOT EXISTS rwin.directions AS rwin.directions_shard
    ENGINE = Distributed(fleet, rwin, directions_shard, cityHash64(capture));

-- What counts: each capture once.
CREATE VIEW IF NOT EXISTS rwin.loaded AS
    SELECT capture, min(load) AS load FROM rwin.captures GROUP BY capture;
CREATE VIEW IF NOT EXISTS rwin.flows AS
    SELECT * FROM rwin.directions WHERE (capture, load) GLOBAL IN (SELECT capture, load FROM rwin.loaded);
