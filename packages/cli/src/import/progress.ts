import { SingleBar } from 'cli-progress'
import { say } from '../output.ts'

/** The display while rows are sent: a bar on a terminal, only the waits elsewhere. */
export type Progress = {
  /** Shows how many rows are done; nothing until they are counted. */
  readonly update: (rows: number, rejected: number, total: number | null) => void
  readonly note: (text: string) => void
  readonly stop: () => void
}

export const createProgress = (label: string): Progress =>
  process.stderr.isTTY ? bar(label) : { update: () => {}, note: say, stop: () => {} }

function bar(label: string): Progress {
  const line = new SingleBar({
    format: `${label} {bar} {percentage}% {value}/{total} rows, {rejected} rejected{note}`,
    stream: process.stderr,
    barsize: 30,
    hideCursor: true,
  })
  let note = ''
  let isStarted = false
  return {
    update: (rows, rejected, total) => {
      note = ''
      if (total === null) return
      if (!isStarted) line.start(total, rows, { rejected, note })
      isStarted = true
      line.update(rows, { rejected, note })
    },
    note: (text) => {
      note = ` · ${text}`
      line.update({ note })
    },
    stop: () => line.stop(),
  }
}
