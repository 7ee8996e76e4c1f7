import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { visitorOf } from '../harness/visitor.ts'

const app = await startApp()
const password = 'quiet rivers run deep'

/** Microseconds of CPU that a sign-in takes which fails: how busy the machine is does not show in them. */
async function workOf(address: string): Promise<number> {
  const browser = visitorOf(app)
  await browser.go('/auth/sign-in')
  const before = process.cpuUsage()
  await browser.submit('/auth/sign-in', { email: address, password: 'not the password' })
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('a wrong password takes as much work as an unknown address', async () => {
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < 15; round++) {
    await app.addMember('member', `timed-${round}`, password)
    known.push(await workOf(`timed-${round}@example.com`))
    unknown.push(await workOf(`unknown-${round}@example.com`))
  }
  // The least of each: what else this process does only adds to it. Without a hash to compare with, it would be a
  // third.
  const [one, other] = [Math.min(...known), Math.min(...unknown)]
  expect(Math.max(one, other) / Math.min(one, other)).toBeLessThan(1.8)
})
