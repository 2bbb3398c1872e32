#!/usr/bin/env bash
# Means over the graphs of files that bench_rules wrote, one line for each setting, method and list of
# rules: scores, directions with a certificate (right, turned round, between variables without an edge)
# and their precision.
awk -F, 'FNR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
{
    key = $at["setting"] "," $at["method"] "," $at["rules"]
    if (!(key in count)) order[++keys] = key
    count[key]++
    shd[key] += $at["shd"]; f1[key] += $at["f1"]; recall[key] += $at["recall"]
    right[key] += $at["directions_right"]; turned[key] += $at["directions_turned"]; apart[key] += $at["directions_apart"]
    tests[key] += $at["tests"]; rules[key] += $at["rule_seconds"]; all[key] += $at["seconds"]
}
END {
    print "setting,method,rules,graphs,shd,f1,recall,right,turned,apart,precision,tests,rule_seconds,seconds"
    for (k = 1; k <= keys; k++) {
        key = order[k]; n = count[key]; certified = right[key] + turned[key] + apart[key]
        printf "%s,%d,%.2f,%.3f,%.3f,%d,%d,%d,%s,%.0f,%.2f,%.2f\n", key, n, shd[key] / n, f1[key] / n, recall[key] / n,
            right[key], turned[key], apart[key], certified ? sprintf("%.3f", right[key] / certified) : "", tests[key] / n,
            rules[key] / n, all[key] / n
    }
}' "$@"
