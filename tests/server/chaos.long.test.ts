import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { longRun, say } from '../harness/long-run.ts'
import { mailServer } from '../harness/mail.ts'
import { Random } from '../harness/random.ts'
import { receiver } from '../harness/receiver.ts'
import { expectWhole } from './chaos/check.ts'
import { planFaults } from './chaos/faults.ts'
import { startInstallation } from './chaos/installation.ts'
import { startLoad } from './chaos/load.ts'

/** Ends what hangs; each wait has a limit of its own. */
const limits = { timeout: 6 * 3_600_000 }

/** Between two faults, at most. */
const pauseMsMax = 1500

/** After so many minutes the run ends before all its faults have come, with all that it verifies at its end. */
const minutesMax = Number(process.env['KONTOR_MINUTES'] ?? Infinity)

test('an installation under load survives faults of every kind: nothing is lost or done twice', limits, async () => {
  const { rounds, seed } = longRun(40)
  const [mail, there] = [await mailServer(), await receiver()]
  const installation = await startInstallation(mail.url, rounds)
  const load = await startLoad({ installation, receiver: there.url, seed })
  const { responses } = load
  await load.progress(3)
  const endsAt = performance.now() + minutesMax * 60_000
  for (const [at, { kind, strike }] of planFaults(installation, rounds, seed).entries()) {
    const random = new Random(seed, at)
    responses.statuses = new Map()
    const what = await strike(installation, random)
    const healedAt = performance.now()
    await Promise.all(installation.nodes.map((node) => node.untilReady()))
    await load.progress(1)
    const after = ((performance.now() - healedAt) / 1000).toFixed(1)
    const counts = [...responses.statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    say(`fault ${at + 1} of ${rounds} (seed ${seed}), ${kind}: ${what}; served after ${after} s: ${counts}`)
    expect(responses.faults).toEqual([])
    if (performance.now() >= endsAt) break
    await sleep(random.between(0, pauseMsMax))
  }
  await load.progress(3)
  await load.stop()
  say(`${responses.acknowledged} changes; ${responses.foundOut} of them were found by their key to be stored`)
  const outside = { got: there.got, letters: mail.waiting }
  for (const workspace of load.workspaces) say(await expectWhole(workspace, outside))
  const doctor = await kontor(
    ['doctor', '--deep', '--base-url', `${installation.origins()[0]}/v1`],
    installation.settings,
  )
  say(doctor.stdout)
  expect(doctor.code, doctor.stderr).toBe(0)
  for (const node of installation.nodes) {
    expect(await node.terminate()).toBe(0)
    expect(node.errors()).toEqual([])
  }
})
