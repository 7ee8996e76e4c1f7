import type { ReplicaStanding } from '@kontor/server/admin'
import type { Config } from '@kontor/server/config'
import { ok, warn, type Finding } from './finding.ts'

/** Checks that the replicas of DATABASE_READ_URL serve reads; there is nothing to check without any. */
export function replicasCheck(config: Config): Readonly<Record<string, () => Promise<Finding>>> {
  return config.replicas.urls.length === 0 ? {} : { Replicas: () => checkReplicas(config) }
}

async function checkReplicas(config: Config): Promise<Finding> {
  const { readReplicas } = await import('@kontor/server/admin')
  const replicas = await readReplicas(config)
  const text = replicas.map(({ name, state, lagMs }) => `${name} ${sayings[state]}${lagOf(lagMs)}`).join('; ')
  return replicas.every(({ state }) => state === 'in use')
    ? ok(text)
    : warn(`${text}. The primary serves the reads of a replica that cannot be used`)
}

const sayings: Readonly<Record<ReplicaStanding['state'], string>> = {
  unknown: 'was not checked',
  'in use': 'serves reads',
  behind: 'lags behind READ_LAG_MS',
  away: 'does not respond',
  'no standby': 'is no standby: it was promoted, or is the primary',
  'of another database': 'is a copy of another database',
}

const lagOf = (lagMs: number): string => (lagMs < 1 ? '' : `, ${Math.round(lagMs)} ms behind`)
