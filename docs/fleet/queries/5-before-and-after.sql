-- Before and after a change, here at a moment put in the place of {MOMENT}: did rates rise, is the window out of the way?
SELECT if(start < toDateTime('{MOMENT}'), 'before', 'after') AS period, count() AS transfers,
    round(quantile(0.5)(goodput_bps) / 1e6, 2) AS median_mbit_s, round(quantile(0.9)(goodput_bps) / 1e6, 2) AS p90_mbit_s,
    round(100 * countIf(limit_class = 'receiver-window') / count(), 1) AS window_limited_percent
FROM rwin.flows WHERE bytes >= 100000
GROUP BY period ORDER BY period DESC
