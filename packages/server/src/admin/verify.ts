import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import type { Database } from '../db/tx.ts'
import { systemClock, type Clock } from '../kernel/clock.ts'
import type { Discrepancy, Verification } from '../kernel/verification.ts'
import { verifications } from '../modules/index.ts'
import { listWorkspaces } from '../modules/workspaces/index.ts'
import { openConfigured } from './configured.ts'
import { AdminError } from './error.ts'

/** Lets servers through between two portions. */
const pauseMs = 5

/** Details that are kept of each check: the first ones show the fault, and the rest is counted. */
const shownMax = 20

export type VerifiedCheck = {
  readonly workspace: string
  readonly name: string
  readonly checked: number
  /** Discrepancies that were found. */
  readonly found: number
  /** Of these, those that `repair` has rebuilt. */
  readonly repaired: number
  readonly details: readonly string[]
}

export type VerifyOptions = {
  /** The slug of one workspace; all by default. */
  readonly workspace?: string | undefined
  readonly repair?: boolean | undefined
  /** Called before each check of a workspace. */
  readonly onProgress?: ((workspace: string, name: string) => void) | undefined
}

type Deps = { readonly database: Database; readonly clock: Clock }

type Place = { readonly id: string; readonly slug: string }

/** Verifies the stored data of an installation while its servers run, portion by portion (docs/decisions/0047). */
export async function verifyDatabase(
  deps: Deps,
  { workspace, repair = false, onProgress }: VerifyOptions = {},
): Promise<VerifiedCheck[]> {
  const all = await listWorkspaces(deps.database.reader)
  const some = workspace === undefined ? all : all.filter(({ slug }) => slug === workspace)
  if (workspace !== undefined && some.length === 0) throw new AdminError(`There is no workspace "${workspace}".`)
  const checks: VerifiedCheck[] = []
  for (const place of some)
    for (const verification of verifications) {
      onProgress?.(place.slug, verification.name)
      checks.push(await runVerification(deps, place, verification, repair))
    }
  return checks
}

async function runVerification(
  { database, clock }: Deps,
  { id: workspaceId, slug }: Place,
  { name, verify }: Verification,
  repair: boolean,
): Promise<VerifiedCheck> {
  const totals = { checked: 0, found: 0, repaired: 0 }
  const details: string[] = []
  let after: string | undefined
  do {
    const request = { workspaceId, after, now: clock.now() }
    const { checked, discrepancies, next } = await database.reader.inOneState((tx) => verify(tx, request))
    totals.checked += checked
    totals.found += discrepancies.length
    details.push(...discrepancies.slice(0, shownMax - details.length).map(({ detail }) => detail))
    if (repair) totals.repaired += await repairAll(database, discrepancies)
    after = next
    if (after !== undefined) await sleep(pauseMs)
  } while (after !== undefined)
  return { workspace: slug, name, ...totals, details }
}

/** Repairs each discrepancy in a transaction of its own, so that writers wait for few rows; returns their number. */
async function repairAll(database: Database, discrepancies: readonly Discrepancy[]): Promise<number> {
  let repaired = 0
  for (const { repair } of discrepancies) {
    if (repair === undefined) continue
    await database.write(repair)
    repaired++
  }
  return repaired
}

/** Verifies the configured database, which is at this version. */
export async function readDiscrepancies(config: Config, options: VerifyOptions): Promise<VerifiedCheck[]> {
  const database = openConfigured(config)
  try {
    return await verifyDatabase({ database, clock: systemClock }, options)
  } finally {
    await database.close()
  }
}
