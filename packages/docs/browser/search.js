// Finds pages by the words that people type. A classic script, like all here; the tests run it too.

/** `(query) => entries`, the best first, at most as many as one can look through. */
globalThis.createSearch = (MiniSearch, { entries, words, phrases }) => {
  const index = new MiniSearch({ idField: 'id', fields: ['t', 'n', 'x'] })
  index.addAll(entries.map((entry, id) => ({ id, ...entry })))

  const weight = { Guide: 1.5, Command: 1.1, Reference: 1.3, Operation: 1.2, Block: 1, Error: 0.9, Event: 0.6 }
  const options = {
    prefix: (term) => term.length > 1,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { t: 4, n: 2 },
    weights: { prefix: 0.6, fuzzy: 0.2 },
    boostDocument: (id) => weight[entries[id].k],
  }

  /** Words of a question that say nothing of its subject. */
  const idle = new Set('a an and are by can do does for from how i in is my of on or the to what with'.split(' '))

  /** A word as it is typed, or one that stands for the same. */
  const meant = (term) => ({ combineWith: 'OR', queries: [term, ...(words[term] ?? [])] })

  return (query) => {
    const typed = query.toLowerCase().trim()
    const typedTerms = (Object.hasOwn(phrases, typed) ? phrases[typed] : typed).match(/[\p{L}\p{N}_]+/gu) ?? []
    const telling = typedTerms.filter((term) => !idle.has(term))
    const terms = telling.length > 0 ? telling : typedTerms
    if (terms.length === 0) return []
    const queries = terms.map(meant)
    const all = index.search({ combineWith: 'AND', queries }, options)
    // Pages that have every word; where there is none, those that have most.
    const found = all.length > 0 ? all : index.search({ combineWith: 'OR', queries }, options)
    return found.slice(0, 20).map(({ id }) => entries[id])
  }
}
