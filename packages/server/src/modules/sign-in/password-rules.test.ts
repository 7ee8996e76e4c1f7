import { expect, test } from 'vitest'
import { passwordFault } from './password-rules.ts'

test.for(['twelve-chars', 'four plain words here', 'ÄÖÜäöüß€ñçéè', '🐢🐇🦊🐢🐇🦊🐢🐇🦊🐻🐼🐨', 'correct horse battery stable', `a${'bcd'.repeat(333)}`])('takes %s', (password) => {
  expect(passwordFault(password, 'ada@example.com')).toBeUndefined()
})

test.for([
  ['short', 'eleven char'],
  ['short, though it has many bytes', '🐢🐇🦊🐢🐇🦊🐢🐇🦊🐻🐼'],
  ['long', `a${'bcd'.repeat(334)}`],
  ['common', 'PasswordPassword'],
  ['common with punctuation', 'Kontor-123456'],
  ['famous', 'correct horse battery staple'],
  ['one character', 'aaaaaaaaaaaaaaaa'],
  ['few characters', 'abababababab'],
  ['a sequence', '3456789:;<=>?'],
  ['the address', 'ada@example.com'],
  ['the address and a little more', 'ada@example.com1!'],
])('refuses one that is %s', ([, password]) => {
  expect(passwordFault(password as string, 'ada@example.com')).toEqual(expect.any(String))
})
