import { isDeepStrictEqual } from 'node:util'
import type { Change, WorkflowGraph } from '@kontor/contract'
import { isNameIn, isRecord } from '../../lib/guards.ts'

/** The differences between two graphs, member by member of their objects; lists are compared whole. */
export const diffGraphs = (before: WorkflowGraph, after: WorkflowGraph): Change[] => differences([], before, after)

/** Attributes that count changes, or tell of the last one. */
const counting: ReadonlySet<string | undefined> = new Set(['version', '_updated_at', '_updated_by'])

type Shown = { readonly attributes: object }

/** The `meta` of a dry run, given the resource before the change, if there was one, and after it. */
export function rehearsalMeta(dryRun: boolean | undefined, before: Shown | undefined, after: Shown) {
  if (dryRun !== true) return {}
  const diff = differences([], before?.attributes ?? {}, after.attributes).filter(({ path: [name = ''] }) =>
    before === undefined ? !name.startsWith('_') : !counting.has(name),
  )
  return { meta: { dry_run: true as const, diff } }
}

function differences(path: readonly string[], oldVal: unknown, val: unknown): Change[] {
  if (isDeepStrictEqual(oldVal, val)) return []
  if (isRecord(oldVal) && isRecord(val))
    return [...new Set([...Object.keys(oldVal), ...Object.keys(val)])].flatMap((name) =>
      differences([...path, name], ownMember(oldVal, name), ownMember(val, name)),
    )
  const op = oldVal === undefined ? 'add' : val === undefined ? 'delete' : 'update'
  return [{ op, path: [...path], val: val ?? null, oldVal: oldVal ?? null }]
}

/** A block may be called `constructor`. */
const ownMember = (value: Readonly<Record<string, unknown>>, name: string): unknown =>
  isNameIn(value, name) ? value[name] : undefined
