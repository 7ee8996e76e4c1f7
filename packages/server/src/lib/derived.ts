/**
 * Memoises a computation per immutable object, for as long as the object lives. Apps cannot share its entries: each app
 * reads its own objects, and a value derived from one says nothing about any other.
 */
export function derived<From extends object, T>(compute: (from: From) => T): (from: From) => T {
  const computed = new WeakMap<From, { readonly value: T }>()
  return (from) => {
    let found = computed.get(from)
    if (found === undefined) {
      found = { value: compute(from) }
      computed.set(from, found)
    }
    return found.value
  }
}
