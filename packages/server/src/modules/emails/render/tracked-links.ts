import { html } from '../../../lib/html.ts'
import { defineTask, TaskFailure, type Pool } from '../../../pool/index.ts'
import type { LinkPlace } from './link-places.ts'

const linksTask = defineTask<string, LinkPlace[]>({
  name: 'links of an e-mail',
  module: new URL('links.task.ts', import.meta.url),
  // A step has at most a megabyte of HTML, which takes some 50 ms.
  limits: { cpuMs: 2000, wallMs: 30_000, heapMiB: 256, inputBytes: 8 << 20, outputBytes: 8 << 20 },
})

/** The links of an e-mail cannot be found: the same happens each time. */
export class LinksUnreadable extends Error {
  override readonly name = 'LinksUnreadable'
}

/** Finds the links of HTML that can be tracked, in a process of the pool. Throws `LinksUnreadable`, or `PoolBusy`. */
export const findLinks = (
  pool: Pool,
  workspaceId: string,
  markup: string,
  signal: AbortSignal | undefined,
): Promise<readonly LinkPlace[]> =>
  pool.run(workspaceId, linksTask, markup, signal).catch((error: unknown) => {
    if (!(error instanceof TaskFailure)) throw error
    throw new LinksUnreadable(`The links of the HTML cannot be found. ${error.message}`, { cause: error })
  })

/** Leads links of an e-mail over the server, and leaves everything else as it is written. */
export function withTrackedLinks(
  markup: string,
  links: readonly LinkPlace[],
  trackedUrl: (url: string) => string,
): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, url } of links) {
    pieces.push(markup.slice(at, start), html`href="${trackedUrl(url)}"`.text)
    at = end
  }
  return [...pieces, markup.slice(at)].join('')
}
