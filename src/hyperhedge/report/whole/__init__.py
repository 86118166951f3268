"""Reports on one hypergraph against another one: passes, floors and yardsticks, the verdict, the page."""
