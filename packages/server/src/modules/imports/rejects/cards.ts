import type { RejectRow } from './store.ts'

const ours = /^X-KONTOR-(?:LINE|REASON)[:;]/i

/** Writes a rejected card as it was, with its line and the reason; its pictures are not kept. */
export function rejectedCard({ line, cells, reason }: RejectRow): string {
  const lines = String(cells.at(-1) ?? '')
    .split('\r\n')
    .filter((one) => !ours.test(one))
  const why = reason.replaceAll(/[\\,;]/g, String.raw`\$&`).replaceAll(/\r\n|\r|\n/g, String.raw`\n`)
  return [...lines.slice(0, -1), `X-KONTOR-LINE:${line}`, `X-KONTOR-REASON:${why}`, ...lines.slice(-1), ''].join('\r\n')
}
