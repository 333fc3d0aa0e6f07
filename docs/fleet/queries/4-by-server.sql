-- By server: what its transfers are limited by, and its share of sent-again segments.
SELECT server_ip, server_port, count() AS transfers, round(quantile(0.5)(goodput_bps) / 1e6, 2) AS median_mbit_s,
    countIf(limit_class = 'receiver-window') AS by_window, countIf(limit_class = 'bandwidth') AS by_line,
    countIf(limit_class IN ('sender-paced', 'sender-buffer', 'sender-app')) AS by_server,
    round(100 * sum(retransmitted_segments) / greatest(sum(segments), 1), 2) AS sent_again_percent
FROM rwin.flows WHERE bytes >= 100000 AND sender = 'server'
GROUP BY server_ip, server_port ORDER BY transfers DESC, server_ip, server_port LIMIT 50
