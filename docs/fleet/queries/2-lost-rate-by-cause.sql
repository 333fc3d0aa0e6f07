-- What limits the transfers, why, and the rate that is lost by it.
SELECT limit_class, cause, count() AS transfers, round(sum(bytes) / 1e6, 1) AS megabytes,
    round(sum(potential_bps - goodput_bps) / 1e6, 1) AS lost_mbit_s
FROM rwin.flows WHERE bytes >= 100000
GROUP BY limit_class, cause ORDER BY transfers DESC, limit_class, cause
