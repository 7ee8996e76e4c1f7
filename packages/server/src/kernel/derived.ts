/**
 * Computes something from an object that never changes, once for each object, and keeps it as long as the object lives. It is no
 * cache that apps could share: each app reads objects of its own, and what is derived from one says nothing of any other.
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
