import { parseCookie, stringifySetCookie } from 'cookie'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Longer than any browser sends; a header beyond is not looked through. */
const headerMax = 16_384

/** The value of a cookie; of two with one name the first, which is that of the longer path. */
export function readCookie({ headers: { cookie = '' } }: IncomingMessage, name: string): string | undefined {
  return cookie.length > headerMax ? undefined : parseCookie(cookie)[name]
}

type Cookie = { readonly value: string; readonly secure: boolean; readonly maxAgeSeconds?: number }

/** Sets a cookie that no script reads and that other sites' forms do not carry (RFC 6265bis). */
export function setCookie(response: ServerResponse, name: string, { value, secure, maxAgeSeconds }: Cookie): void {
  response.appendHeader(
    'Set-Cookie',
    stringifySetCookie({
      name,
      value,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure,
      ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }),
    }),
  )
}

/** Over https the browser itself holds a cookie to one host and to secure connections (RFC 6265bis §4.1.3.2). */
export const cookieName = (name: string, secure: boolean): string =>
  secure ? `__Host-kontor_${name}` : `kontor_${name}`
