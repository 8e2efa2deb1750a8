"""Whether hooks and memory are in order: a read-only report (`afterword doctor`).

Each module looks at one thing and returns findings; `report` runs them all, and one
that cannot run is a finding itself. Nothing here writes a byte anywhere. Stands above
`install` and `lifecycle`, and only the command line imports it.
"""
