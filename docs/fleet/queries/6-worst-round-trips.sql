-- The farthest client networks, and the window that 25 Mbit/s would need there.
SELECT client_net, count() AS transfers, round(max(rtt_base_us) / 1000, 1) AS largest_rtt_ms,
    round(25e6 / 8 * max(rtt_base_us) / 1e6 / 1024) AS needed_window_kib, round(max(window_max) / 1024) AS largest_window_kib
FROM rwin.flows WHERE rtt_base_us IS NOT NULL
GROUP BY client_net ORDER BY largest_rtt_ms DESC, client_net LIMIT 50
