"""Evolution: the learning queue, the reflections and the knowledge base (DESIGN 7).

Reading and planning are pure functions over bytes (`item`, `queue`, `reflection`,
`knowledge_base`, ...); `archiving`, `evolving`, `adding` and `overview` touch files,
under the locks `evolve`, `archive` and `evolution`. May import `episode.events`,
`store`, `errors`, `model`; never another domain room, never `lifecycle`.
"""
