import { bodyQuirks } from './body-quirks.ts'
import { headerQuirks } from './header-quirks.ts'
import { latin, withHeader, withQuery, type Quirk } from './quirk.ts'
import type { Random } from '../harness/random.ts'
import { pathQuirks, urlQuirks } from './target-quirks.ts'
import type { WireRequest } from './wire.ts'
import type { Words } from './words.ts'

/** Heads that are no HTTP: the server's parser refuses them, or takes them for what they are. */
const unparseable: readonly Quirk[] = [
  (request) => ({ ...request, unparseable: true, astray: true, method: request.method.toLowerCase() }),
  (request) => ({ ...request, unparseable: true, astray: true, method: 'NONSENSE' }),
  (request) => ({ ...request, unparseable: true, astray: true, target: `${request.target} x` }),
  (request) => ({ ...request, unparseable: true, astray: true, target: request.target.slice(1) }),
  (request) => ({ ...request, unparseable: true, astray: true, target: `${request.target}\x01` }),
  (request, random) => ({
    ...withQuery(request, `filter[job_title]=${latin(random.pick(['ü', '株式会社', '🦊']))}`),
    unparseable: true,
  }),
  (request) => ({ ...withHeader(request, ['X-Long', 'x'.repeat(20_000)]), unparseable: true }),
  (request) => ({ ...withHeader(request, ['X-Bad\x00Name', 'x']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['X Space', 'x']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['X-Null', 'a\0b']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['', 'x']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['Expect', 'nonsense']), unparseable: true }),
]

/** Makes a request odd in one way. */
export const withQuirk = (request: WireRequest, random: Random, known: Words): WireRequest =>
  random.pick(
    random.weighted<readonly Quirk[]>([
      [30, urlQuirks],
      [20, pathQuirks],
      [30, headerQuirks],
      [17, bodyQuirks],
      [3, unparseable],
    ]),
  )(request, random, known)
