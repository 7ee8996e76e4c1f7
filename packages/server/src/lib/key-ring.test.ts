import { expect, test } from 'vitest'
import { KeyMissing, KeyRing } from './key-ring.ts'

const [old, young] = ['an old key that is long enough for it', 'a young key that is long enough for it']

test('opens what it sealed, in the same place alone', () => {
  const keys = new KeyRing([young])
  const sealed = keys.seal({ secret: 'whsec_abc' }, 'webhook:1')
  expect(JSON.stringify(sealed)).not.toContain('abc')
  expect(sealed.key).toBe(keys.newest)
  expect(keys.unseal(sealed, 'webhook:1')).toEqual({ secret: 'whsec_abc' })
  expect(() => keys.unseal(sealed, 'webhook:2')).toThrow()
  expect(() => keys.unseal({ ...sealed, text: Buffer.from('x').toString('base64') }, 'webhook:1')).toThrow()
})

test('seals with the newest key, and opens with any that it has', () => {
  const sealed = new KeyRing([old]).seal('secret', 'place')
  const rotated = new KeyRing([young, old])
  expect(rotated.unseal(sealed, 'place')).toBe('secret')
  expect(new KeyRing([young]).unseal(rotated.seal('secret', 'place'), 'place')).toBe('secret')
  expect(() => new KeyRing([young]).unseal(sealed, 'place')).toThrow(KeyMissing)
})
