import { expect, test } from 'vitest'
import { passwordFault } from './password-rules.ts'

test.for([
  'twelve-chars',
  'four plain words here',
  'ÄÖÜäöüß€ñçéè',
  '🐢🐇🦊🐢🐇🦊🐢🐇🦊🐻🐼🐨',
  'correct horse battery stable',
  `rivers ${'é'.repeat(3)} run quietly ${'over many mossy stones '.repeat(41)}`,
])('takes %s', async (password) => {
  expect(await passwordFault(password, 'ada@example.com')).toBeUndefined()
})

test.for([
  ['short', 'eleven char'],
  ['short, though it has many bytes', '🐢🐇🦊🐢🐇🦊🐢🐇🦊🐻🐼'],
  ['long', `a${'bcd'.repeat(334)}`],
  ['far too long, with marks that take minutes to sort', `a${'\u0301\u0316'.repeat(300_000)}`],
  ['common', 'PasswordPassword'],
  ['common with punctuation', 'Kontor-123456'],
  ['famous', 'correct horse battery staple'],
  ['a row of keys', 'qwertyuiop[]asdf'],
  ['a common word and a year', 'Password2026!'],
  ['a part again and again', `a${'bcd'.repeat(50)}`],
  ['one character', 'aaaaaaaaaaaaaaaa'],
  ['few characters', 'abababababab'],
  ['a sequence', '3456789:;<=>?'],
  ['the address', 'ada@example.com'],
  ['the address and a little more', 'ada@example.com1!'],
])('refuses one that is %s', async ([, password]) => {
  expect(await passwordFault(password as string, 'ada@example.com')).toEqual(expect.any(String))
})
