import type { IncomingMessage, ServerResponse } from 'node:http'

/** Longer than any browser sends; a header beyond is not looked through. */
const headerMax = 16_384

/** The value of a cookie; of two with one name the first, which is that of the longer path. */
export function readCookie({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined {
  if (cookie.length > headerMax) return undefined
  const found = cookie.split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  return found?.trimStart().slice(name.length + 1).trimEnd()
}

type Cookie = { readonly value: string; readonly secure: boolean; readonly maxAgeSeconds?: number }

/** Sets a cookie that no script reads and that other sites' forms do not carry (RFC 6265bis). */
export function setCookie(response: ServerResponse, name: string, { value, secure, maxAgeSeconds }: Cookie): void {
  const parts = [`${name}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax', ...(secure ? ['Secure'] : []), ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`])]
  response.appendHeader('Set-Cookie', parts.join('; '))
}

/** Over https the browser itself holds a cookie to one host and to secure connections (RFC 6265bis §4.1.3.2). */
export const cookieName = (name: string, secure: boolean): string => (secure ? `__Host-kontor_${name}` : `kontor_${name}`)
