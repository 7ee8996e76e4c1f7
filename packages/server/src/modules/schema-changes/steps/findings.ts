import type { TaskError } from '@kontor/contract'
import type { Finding } from '../change/payload.ts'

/** Ids reported for each kind of fault, and kinds of faults that are reported. */
const samplesMax = 10
const findingsMax = 200

type Fault = {
  readonly object: string
  readonly field: string
  readonly detail: string
  readonly conflict: boolean
  readonly recordId: string
}

const nameOf = ({ object, field, reason }: Pick<Finding, 'object' | 'field' | 'reason'>): string =>
  JSON.stringify([object, field, reason])

/** Counts faults by kind. */
export function withFaults(findings: readonly Finding[], faults: readonly Fault[]): Finding[] {
  const counted = new Map(findings.map((finding) => [nameOf(finding), finding]))
  for (const { object, field, detail, conflict, recordId } of faults) {
    const name = nameOf({ object, field, reason: detail })
    const known = counted.get(name) ?? { object, field, reason: detail, conflict, count: 0, sample_ids: [] }
    if (known.count === 0 && counted.size >= findingsMax) continue
    counted.set(name, {
      ...known,
      count: known.count + 1,
      sample_ids: known.sample_ids.length < samplesMax ? [...known.sample_ids, recordId] : known.sample_ids,
    })
  }
  return [...counted.values()]
}

export const toTaskErrors = (findings: readonly Finding[]): TaskError[] =>
  findings.map(({ field, reason, count, sample_ids }) => ({ field, reason, count, sample_ids }))
