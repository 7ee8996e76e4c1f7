import type { Deprecation } from '@kontor/contract'

/** What each answer of an operation says that is to go: `Deprecation` (RFC 9745), and `Sunset` (RFC 8594). */
export const deprecationHeaders = ({ since, ends }: Deprecation): Readonly<Record<string, string>> => ({
  Deprecation: `@${Date.parse(since) / 1000}`,
  ...(ends !== undefined && { Sunset: new Date(ends).toUTCString() }),
})
