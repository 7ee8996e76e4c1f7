import { expect, test } from 'vitest'
import { isVerified } from './verified.ts'

const none = { iss: 'https://id.example.com', email: 'ada@example.com', email_verified: undefined, hd: undefined }

test.for([
  [{ email_verified: true }, true],
  [{ email_verified: 'true' }, false],
  [{ email_verified: false, xms_edov: false }, false],
  [{ email_verified: true, email: undefined }, false],
  [{}, false],
  [{ xms_edov: '1' }, true],
  [{ iss: 'https://accounts.google.com', email_verified: true }, false],
  [{ iss: 'https://accounts.google.com', email_verified: true, hd: 'example.com' }, true],
  [{ iss: 'https://accounts.google.com', email_verified: true, email: 'ada@gmail.com' }, true],
  [{ iss: 'https://accounts.google.com', email_verified: true, email: 'ada@gmail.com.example.com' }, false],
  [{ iss: 'https://accounts.google.com', email_verified: true, xms_edov: true }, false],
] as const)('of %j the address is verified: %s', ([claims, verified]) => {
  expect(isVerified({ ...none, xms_edov: undefined, ...claims })).toBe(verified)
})
