import { expect, test } from 'vitest'
import { blockChecks } from './testing/block-checks.ts'
import { contextOf, StandIn } from './testing/stand-in.ts'
import { emailValidation } from './email-validation.ts'

const grace = {
  valid: true,
  reason: null,
  normalised: 'grace@example.com',
  domain: 'example.com',
  is_role: false,
  is_free: false,
}

test.each(blockChecks(emailValidation, { input: { email: 'Grace@Example.com' }, output: grace, rehearsal: grace }))(
  '%s',
  (_title, check) => check(),
)

test.each([
  ['grace+news@example.com', { valid: true, is_role: false }],
  ['Sales+eu@example.com', { valid: true, is_role: true }],
  ['someone@gmail.com', { valid: true, is_free: true }],
  ['grüße@bücher.example', { valid: true, domain: 'xn--bcher-kva.example' }],
  [' grace@example.com ', { valid: true, normalised: 'grace@example.com' }],
  ['', { valid: false, reason: 'missing' }],
  [null, { valid: false, reason: 'missing' }],
  ['grace', { valid: false, reason: 'no_at' }],
  ['grace@', { valid: false, reason: 'domain' }],
  ['grace@localhost', { valid: false, reason: 'domain' }],
  ['@example.com', { valid: false, reason: 'local_part' }],
  ['a..b@example.com', { valid: false, reason: 'local_part' }],
  ['a b@example.com', { valid: false, reason: 'local_part' }],
])('of %j says %j', async (email, said) => {
  expect(await emailValidation.run(contextOf(new StandIn({}).call), { email })).toMatchObject({ output: said })
})
