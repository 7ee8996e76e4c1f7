import { isDeepStrictEqual } from 'node:util'
import type { Change } from '@kontor/contract'
import type { Content } from './part.ts'

const isMap = (value: unknown): value is Content => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The differences between two contents, by the paths of what differs; lists of values are compared as a whole. */
export function differences(before: Content, after: Content, path: readonly string[] = []): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name): Change[] => {
    const [old, now] = [before[name], after[name]]
    const at = [...path, name]
    if (isDeepStrictEqual(old, now)) return []
    if (isMap(old) && isMap(now)) return differences(old, now, at)
    if (now === undefined) return [{ op: 'delete', path: at, oldVal: old }]
    return old === undefined ? [{ op: 'add', path: at, val: now }] : [{ op: 'update', path: at, val: now, oldVal: old }]
  })
}
