-- By the receiver's system: how often its window is the limit.
SELECT if(sender = 'server', client_os, server_os) AS system, count() AS transfers,
    round(100 * countIf(limit_class = 'receiver-window') / count(), 1) AS window_limited_percent,
    round(quantile(0.5)(window_max) / 1024) AS median_largest_window_kib
FROM rwin.flows WHERE bytes >= 100000
GROUP BY system ORDER BY transfers DESC, system
