import { expect, test } from 'vitest'
import { chooseAddress } from './choose.ts'

const suppressed = {
  addresses: new Set(['bounced@example.com', 'left@example.com']),
  unsubscribed: new Set(['left@example.com']),
  people: new Set(['who-left']),
}

test.each([
  [['a@example.com', 'b@example.com'], { address: 'a@example.com' }],
  [['no address', 'B@Example.com'], { address: 'b@example.com' }],
  [['bounced@example.com', 'b@example.com'], { address: 'b@example.com' }],
  [['bounced+news@example.com'], { address: 'bounced+news@example.com' }],
  [['bounced@example.com'], { refusal: 'suppressed', at: 'bounced@example.com' }],
  [['b@example.com', 'left@example.com'], { refusal: 'suppressed', at: 'left@example.com' }],
  [['no address'], { refusal: 'invalid_email' }],
  [['', ' '], { refusal: 'no_email' }],
  [[], { refusal: 'no_email' }],
])('of %j', (addresses, expected) => {
  expect(chooseAddress({ id: 'person', addresses }, suppressed)).toEqual(expected)
})

test('who has left is written to at no new address either', () => {
  expect(chooseAddress({ id: 'who-left', addresses: ['new@example.com'] }, suppressed)).toEqual({
    refusal: 'suppressed',
    at: 'new@example.com',
  })
})
