import { SingleBar } from 'cli-progress'
import { say } from '../output.ts'

/** The display while rows are sent: a bar on a terminal, only the waits elsewhere. */
export type Progress = {
  readonly start: (total: number) => void
  readonly update: (rows: number, rejected: number) => void
  readonly note: (text: string) => void
  readonly stop: () => void
}

export const createProgress = (label: string): Progress =>
  process.stderr.isTTY ? bar(label) : { start: () => {}, update: () => {}, note: say, stop: () => {} }

function bar(label: string): Progress {
  const line = new SingleBar({
    format: `${label} {bar} {percentage}% {value}/{total} rows, {rejected} rejected{note}`,
    stream: process.stderr,
    barsize: 30,
    hideCursor: true,
  })
  let note = ''
  return {
    start: (total) => line.start(total, 0, { rejected: 0, note }),
    update: (rows, rejected) => {
      note = ''
      line.update(rows, { rejected, note })
    },
    note: (text) => {
      note = ` · ${text}`
      line.update({ note })
    },
    stop: () => line.stop(),
  }
}
