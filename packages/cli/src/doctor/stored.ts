import type { VerifiedCheck } from '@kontor/server/admin'
import type { Config } from '@kontor/server/config'
import { explain } from '../errors.ts'
import { count, say } from '../output.ts'
import { fail, ok, warn, type Check, type DeepOptions, type Finding } from './finding.ts'

type Options = DeepOptions & { readonly workspace?: string }

/** Verifies the stored data of all workspaces or of one, and rebuilds what differs if that was requested. */
export async function verifyStored(config: Config, { repair, workspace }: Options): Promise<Check[]> {
  const { readDiscrepancies } = await import('@kontor/server/admin')
  let last: string | undefined
  const onProgress = (slug: string): void => {
    if (slug !== last) say(`Verifying ${slug} …`)
    last = slug
  }
  try {
    const verified = await readDiscrepancies(config, { repair, workspace, onProgress })
    return [...Map.groupBy(verified, ({ name }) => name)].map(([name, some]) => ({ name, ...summary(some) }))
  } catch (error) {
    return [{ name: 'Stored data', ...fail(explain(error)) }]
  }
}

const shownMax = 20

function summary(some: readonly VerifiedCheck[]): Finding {
  const sum = (of: (check: VerifiedCheck) => number): number => some.reduce((total, check) => total + of(check), 0)
  const [checked, found, repaired] = [sum((one) => one.checked), sum((one) => one.found), sum((one) => one.repaired)]
  const state = `${checked.toLocaleString('en')} checked`
  if (found === 0) return ok(state)
  const all = some.flatMap(({ workspace, details }) => details.map((detail) => `${workspace}: ${detail}`))
  const more = found - Math.min(all.length, shownMax)
  const text = [
    `${state}, ${count(found, 'discrepancy', 'discrepancies')}, ${repaired.toLocaleString('en')} repaired`,
    ...all.slice(0, shownMax).map((detail) => `      ${detail}`),
    ...(more > 0 ? [`      and ${more.toLocaleString('en')} more`] : []),
  ].join('\n')
  return repaired === found ? warn(text) : fail(text)
}
