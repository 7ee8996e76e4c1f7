import { createHash } from 'node:crypto'
import type { Endpoint } from '@kontor/contract'

export type Surface = 'rest' | 'trpc' | 'actions'

/** A request as it goes over the wire, and what its answer is judged by. */
export type WireRequest = {
  readonly method: string
  /** Path and query, each character one byte. */
  readonly target: string
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | undefined
  readonly surface: Surface
  readonly name: string
  readonly endpoint: Endpoint
  /** Of a batch, the endpoints of its calls. */
  readonly batch?: readonly Endpoint[]
  /** The caller, for readers of the report. */
  readonly caller: string
  /** It may be answered as another endpoint, or none, would. */
  readonly astray: boolean
  /** It may be no HTTP at all, and be refused before anything reads it. */
  readonly unparseable: boolean
}

export type WireAnswer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The request as bytes; the length of the body is said unless a header says something about it already. */
export function bytesOf({ method, target, headers, body }: WireRequest, host: string): Buffer {
  const said = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name))
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ]
  if (body !== undefined && !said) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body === undefined ? head : Buffer.concat([head, body])
}

const quoted = (text: string): string =>
  /^[\x20-\x7e]*$/.test(text)
    ? `'${text.replaceAll("'", String.raw`'\''`)}'`
    : `$'${[...Buffer.from(text, 'latin1')].map(quotedByte).join('')}'`

const quotedByte = (byte: number): string =>
  byte < 32 || byte > 126 || byte === 39 || byte === 92
    ? `\\x${byte.toString(16).padStart(2, '0')}`
    : String.fromCharCode(byte)

const shownMax = 3000

/** The request as a line for a terminal, with names of variables for credentials. */
export function curlLine({ method, target, headers, body, caller }: WireRequest, origin: string): string {
  const sent = headers.map(([name, value]) =>
    /^authorization$/i.test(name) ? `-H "${name}: $${caller.toUpperCase()}"` : `-H ${quoted(`${name}: ${value}`)}`,
  )
  const text = body?.toString('latin1') ?? ''
  const data = body === undefined ? [] : [`--data-binary ${quoted(text.slice(0, shownMax))}`]
  const cut =
    text.length > shownMax
      ? ` # of ${text.length} bytes, sha256 ${createHash('sha256').update(body!).digest('hex').slice(0, 12)}`
      : ''
  return (
    ['curl -g --path-as-is -i', `-X ${quoted(method)}`, ...sent, ...data, quoted(`${origin}${target}`)].join(' ') + cut
  )
}
