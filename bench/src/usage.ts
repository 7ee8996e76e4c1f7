import { readdirSync, readFileSync } from 'node:fs'

/** Linux tells what a process uses; elsewhere what is made of it stays empty. */
function fromProc<T>(file: string, read: (text: string) => T): T | undefined {
  try {
    return read(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

const tickMs = 10

/** A process as the system counts it: ticks of its own, and those of children that have ended. */
type Process = { readonly pid: number; readonly parent: number; readonly ticks: number }

const processOf = (pid: number): Process | undefined =>
  fromProc(`/proc/${pid}/stat`, (text) => {
    // The name may hold spaces and brackets; what follows it does not.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return {
      pid,
      parent: Number(fields[1]),
      ticks: fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0),
    }
  })

/** A process and all that descend from it. */
function treeOf(pid: number): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (processOf(Number(name)) ?? []) : []))
  const tree: Process[] = all.filter((one) => one.pid === pid)
  for (const { pid: parent } of tree) tree.push(...all.filter((one) => one.parent === parent))
  return tree
}

/** CPU time of a process and its children so far, those that have ended included. */
export const cpuMsOf = (pid: number): number | undefined => {
  const root = processOf(pid)
  return root && treeOf(pid).reduce((sum, { ticks }) => sum + ticks, 0) * tickMs
}

export const residentBytesOf = (pid: number): number | undefined =>
  fromProc(`/proc/${pid}/status`, (text) => Number(/VmRSS:\s+(\d+)/.exec(text)?.[1]) * 1024)

const kilobytes = (text: string, name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? 0)

/** Resident bytes of some processes: what each has of its own, and of mapped files. */
type Resident = { readonly own: number; readonly mapped: number }

/**
 * Resident memory of a process and its children: what each has of its own, and of mapped files, which they share, as
 * much as the one that has most. Proportional sizes would depend on what else runs from the same binary.
 */
export function residentOf(pid: number): Resident | undefined {
  const statuses = treeOf(pid).flatMap((one) => fromProc(`/proc/${one.pid}/status`, (text) => text) ?? [])
  if (statuses.length === 0) return undefined
  const own = statuses.reduce((sum, text) => sum + kilobytes(text, 'RssAnon') + kilobytes(text, 'RssShmem'), 0)
  return { own: own * 1024, mapped: Math.max(...statuses.map((text) => kilobytes(text, 'RssFile'))) * 1024 }
}

export function treeBytesOf(pid: number): number | undefined {
  const resident = residentOf(pid)
  return resident && resident.own + resident.mapped
}

/** The process that a process was started by. */
export const parentOf = (pid: number): number | undefined => processOf(pid)?.parent
