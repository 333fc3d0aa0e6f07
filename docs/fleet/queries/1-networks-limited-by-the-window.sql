-- Which client networks are held back by their receive window, and what that costs them.
SELECT client_net, count() AS transfers, countIf(limit_class = 'receiver-window') AS window_limited,
    round(sumIf(potential_bps - goodput_bps, limit_class = 'receiver-window') / 1e6, 1) AS lost_mbit_s,
    round(max(if(limit_class = 'receiver-window', gain, 1)), 1) AS largest_gain
FROM rwin.flows WHERE bytes >= 100000
GROUP BY client_net HAVING window_limited > 0 ORDER BY lost_mbit_s DESC, client_net LIMIT 50
