/** The same object, but for some members. Its methods see the object itself: a copy would lack its private parts. */
export const overriding = <T extends object>(target: T, members: Partial<T>): T =>
  new Proxy(target, {
    get(_, name) {
      if (name in members) return members[name as keyof T]
      const value: unknown = target[name as keyof T]
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
