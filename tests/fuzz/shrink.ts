import type { Json } from '../harness/http.ts'
import { changed, jsonText, pathsOf, at } from './json-text.ts'
import type { WireRequest } from './wire.ts'

const triesMax = 400

/** Smaller requests, the much smaller ones first. */
function* smaller(request: WireRequest): Generator<WireRequest> {
  for (let index = 0; index < request.headers.length; index++)
    yield { ...request, headers: request.headers.toSpliced(index, 1) }
  const [path = '', query] = request.target.split(/\?(.*)/s, 2)
  const pairs = query === undefined ? [] : query.split('&')
  if (request.surface !== 'trpc')
    for (let index = 0; index < pairs.length; index++)
      yield { ...request, target: `${path}?${pairs.toSpliced(index, 1).join('&')}`.replace(/\?$/, '') }
  if (request.surface === 'trpc' && query?.startsWith('input='))
    for (const text of smallerJson(decodeURIComponent(query.slice(6))))
      yield { ...request, target: `${path}?input=${encodeURIComponent(text)}` }
  if (request.body !== undefined) {
    yield { ...request, body: undefined }
    for (const text of smallerJson(request.body.toString())) yield { ...request, body: Buffer.from(text) }
  }
}

function* smallerJson(text: string): Generator<string> {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    for (let part = Math.ceil(text.length / 2); part >= 1; part = Math.floor(part / 2)) {
      for (let from = 0; from < text.length; from += part) yield text.slice(0, from) + text.slice(from + part)
    }
    return
  }
  for (const path of pathsOf(value).filter(({ length }) => length > 0)) yield jsonText(changed(value, path, undefined))
  for (const path of pathsOf(value)) {
    const inner = at(value, path)
    if (typeof inner === 'string' && inner.length > 1)
      for (const half of [inner.slice(0, inner.length / 2), inner.slice(inner.length / 2), inner.slice(1)])
        yield jsonText(changed(value, path, half))
    if (typeof inner === 'object' && inner !== null) yield jsonText(changed(value, path, null))
  }
}

/** The smallest request found that still fails. */
export async function shrunk(
  request: WireRequest,
  stillFails: (smaller: WireRequest) => Promise<boolean>,
): Promise<WireRequest> {
  let smallest = request
  for (let tries = 0; tries < triesMax;) {
    let found: WireRequest | undefined
    for (const candidate of smaller(smallest)) {
      if (++tries > triesMax) break
      if (!(await stillFails(candidate))) continue
      found = candidate
      break
    }
    if (found === undefined) return smallest
    smallest = found
  }
  return smallest
}
