import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { callsPerMinute } from '@kontor/contract'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test('calls are limited as the document says, where the operator has set nothing else', () => {
  expect(readConfig({}).rateLimitPerMinute).toBe(callsPerMinute)
})

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

test('refuses a key that would leave e-mail unsigned', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey
  const settings = { SMTP_URL: 'smtp://127.0.0.1', MAIL_FROM: 'a@acme.example' }
  const inOneLine = pemOf(rsa).replaceAll('\n', String.raw`\n`)
  expect(readConfig({ ...settings, DKIM_PRIVATE_KEY: inOneLine }).mail?.dkim?.privateKey).toBe(pemOf(rsa))
  const broken = [
    '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
    pemOf(generateKeyPairSync('ed25519').privateKey),
  ]
  for (const DKIM_PRIVATE_KEY of broken)
    expect(() => readConfig({ ...settings, DKIM_PRIVATE_KEY })).toThrow(/\n {2}DKIM_PRIVATE_KEY: must be an RSA key/)
})

const errorOf = (environment: Record<string, string>): string => {
  try {
    readConfig(environment)
  } catch (error) {
    return String(error)
  }
  return ''
}

test('names what is wrong with a secret without the secret', () => {
  const given = {
    ENCRYPTION_KEYS: 'hunter2',
    DATABASE_URL: 'mysql://a:hunter2@b',
    METRICS_TOKEN: 'hunter2',
    PORT: 'many',
  }
  expect(errorOf(given)).not.toContain('hunter2')
  expect(errorOf(given)).toContain('\n  DATABASE_URL: ')
  expect(errorOf(given)).toContain('PORT="many": must be a number')
})

test('refuses an identity provider without the audience that its tokens must name', () => {
  const OIDC_ISSUER = 'https://idp.example.com/'
  expect(errorOf({ OIDC_ISSUER })).toContain('OIDC_ISSUER requires OIDC_AUDIENCE')
  expect(readConfig({ OIDC_ISSUER, OIDC_AUDIENCE: 'kontor' }).outsideIssuer).toEqual({
    issuer: OIDC_ISSUER,
    audience: 'kontor',
    jwksUrl: 'https://idp.example.com/.well-known/jwks.json',
  })
})

test('a provider for signing in needs all of its settings', () => {
  const google = { GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }
  expect(readConfig(google).signInProviders).toEqual([
    { id: 'google', name: 'Google', issuer: 'https://accounts.google.com', clientId: 'id', clientSecret: 'secret' },
  ])
  expect(errorOf({ GOOGLE_CLIENT_ID: 'id' })).toContain('GOOGLE_CLIENT_ID also requires GOOGLE_CLIENT_SECRET.')
  expect(errorOf({ MICROSOFT_CLIENT_ID: 'id' })).toContain(
    'also requires MICROSOFT_TENANT and MICROSOFT_CLIENT_SECRET.',
  )
  expect(errorOf({ SIGN_IN_ISSUER: 'http://id.example.com' })).toContain('must be an https URL')
})

test('the address for notifications is of Postgres', () => {
  const DATABASE_LISTEN_URL = 'postgres://one@a/kontor'
  expect(errorOf({ DATABASE_LISTEN_URL })).toContain('DATABASE_LISTEN_URL needs Postgres')
  expect(errorOf({ DATABASE_LISTEN_URL: 'a' })).toContain('\n  DATABASE_LISTEN_URL: must be postgres')
  expect(readConfig({ DATABASE_URL: 'postgres://b/kontor', DATABASE_LISTEN_URL }).listenUrl).toBe(DATABASE_LISTEN_URL)
})

test('standbys are of Postgres, and named without their passwords', () => {
  const DATABASE_READ_URL = 'postgres://one:hunter2@a/kontor, postgres://two@b/kontor postgres://three@c/kontor'
  expect(errorOf({ DATABASE_READ_URL })).toContain('DATABASE_READ_URL needs Postgres')
  expect(errorOf({ DATABASE_READ_URL: 'mysql://one:hunter2@a' })).toContain('\n  DATABASE_READ_URL: must be postgres')
  expect(errorOf({ DATABASE_READ_URL: 'mysql://one:hunter2@a' })).not.toContain('hunter2')
  const { replicas } = readConfig({ DATABASE_URL: 'postgres://db/kontor', DATABASE_READ_URL })
  expect(replicas).toEqual({ urls: DATABASE_READ_URL.split(/[ ,]+/), lagMs: 1000 })
})
