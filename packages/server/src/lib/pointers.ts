type Path = readonly PropertyKey[]

/** As a parameter is spelled in a URL: `page[limit]`. */
export const parameterName = ([head, ...rest]: Path): string =>
  `${String(head)}${rest.map((part) => `[${String(part)}]`).join('')}`

/** A JSON pointer (RFC 6901), from the root of the body. */
export const pointer = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
