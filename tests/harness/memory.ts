import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

/** A process and those that it has started: a server and its readers. */
function familyOf(pid: number): number[] {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.flatMap((name) => familyOf(Number(name)))]
}

function parentOf(name: string): number | undefined {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1])
  } catch {
    // It has ended since the folder was listed.
    return undefined
  }
}

const highWater = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

/** The most memory, in MiB, that a server and its readers have together while something is done; on Linux alone. */
export async function peakMemory(pid: number, work: () => Promise<void>): Promise<number> {
  // `5` resets the high-water mark (proc(5)).
  for (const one of familyOf(pid)) writeFileSync(`/proc/${one}/clear_refs`, '5')
  await work()
  return familyOf(pid).reduce((sum, one) => sum + highWater(one), 0)
}
