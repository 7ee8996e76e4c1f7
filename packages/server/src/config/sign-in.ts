import { z } from 'zod'
import { withoutSlash } from './forms.ts'
import { section, setting, type Refuse } from './section.ts'

const issuerFault = 'must be an https URL, or an http URL of this machine'

const isIssuer = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { protocol, hostname } = new URL(text)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
}

const text = z.string().min(1).optional()

/** The variables of the providers by which people sign in. */
const providerVariables = {
  GOOGLE_CLIENT_ID: setting(
    'GOOGLE_CLIENT_ID',
    text,
    'lets people sign in with Google: the id of a client of type "Web application"',
  ),
  GOOGLE_CLIENT_SECRET: setting('GOOGLE_CLIENT_SECRET', text, 'secret of the Google client'),
  MICROSOFT_CLIENT_ID: setting(
    'MICROSOFT_CLIENT_ID',
    text,
    'lets people sign in with Microsoft: the id of an app registration',
  ),
  MICROSOFT_CLIENT_SECRET: setting('MICROSOFT_CLIENT_SECRET', text, 'secret of the Microsoft client'),
  MICROSOFT_TENANT: setting(
    'MICROSOFT_TENANT',
    z.uuid('must be the id of a tenant, a UUID').optional(),
    'the tenant whose people may sign in; required with MICROSOFT_CLIENT_ID',
  ),
  SIGN_IN_ISSUER: setting(
    'SIGN_IN_ISSUER',
    z.string().refine(isIssuer, issuerFault).optional(),
    'lets people sign in with another provider of OpenID Connect: its issuer',
  ),
  SIGN_IN_CLIENT_ID: setting('SIGN_IN_CLIENT_ID', text, 'client id of Kontor at SIGN_IN_ISSUER'),
  SIGN_IN_CLIENT_SECRET: setting('SIGN_IN_CLIENT_SECRET', text, 'client secret of Kontor at SIGN_IN_ISSUER'),
  SIGN_IN_NAME: setting(
    'SIGN_IN_NAME',
    z.string().min(1).max(40).default('single sign-on'),
    'the name of that provider on its button',
  ),
}

type Registered = { readonly issuer: string; readonly clientId: string; readonly clientSecret: string }

type Provider = { readonly id: string; readonly name: string } & Registered

/** Returns a provider if all of its settings are there. */
function providerOf(
  named: Pick<Provider, 'id' | 'name'>,
  settings: Readonly<Record<string, string | undefined>>,
  registered: (values: readonly string[]) => Registered,
  refuse: Refuse,
): Provider[] {
  const missing = Object.keys(settings).filter((name) => settings[name] === undefined)
  const first = Object.keys(settings).find((name) => settings[name] !== undefined)
  if (first === undefined) return []
  if (missing.length > 0) return refuse(`${first} also requires ${missing.join(' and ')}.`)
  return [{ ...named, ...registered(Object.values(settings).map(String)) }]
}

const googleIssuer = 'https://accounts.google.com'

/** Settings of the providers by which people sign in. */
export const providerSettings = section(
  providerVariables,
  (
    {
      GOOGLE_CLIENT_ID,
      GOOGLE_CLIENT_SECRET,
      MICROSOFT_TENANT,
      MICROSOFT_CLIENT_ID,
      MICROSOFT_CLIENT_SECRET,
      SIGN_IN_ISSUER,
      SIGN_IN_CLIENT_ID,
      SIGN_IN_CLIENT_SECRET,
      SIGN_IN_NAME: name,
    },
    refuse,
  ) => ({
    /** Other providers by which people sign in. */
    signInProviders: [
      ...providerOf(
        { id: 'google', name: 'Google' },
        { GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET },
        ([clientId = '', clientSecret = '']) => ({ issuer: googleIssuer, clientId, clientSecret }),
        refuse,
      ),
      ...providerOf(
        { id: 'microsoft', name: 'Microsoft' },
        { MICROSOFT_TENANT, MICROSOFT_CLIENT_ID, MICROSOFT_CLIENT_SECRET },
        ([tenant = '', clientId = '', clientSecret = '']) => ({
          issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
          clientId,
          clientSecret,
        }),
        refuse,
      ),
      ...providerOf(
        { id: 'oidc', name },
        { SIGN_IN_ISSUER, SIGN_IN_CLIENT_ID, SIGN_IN_CLIENT_SECRET },
        ([issuer = '', clientId = '', clientSecret = '']) => ({ issuer, clientId, clientSecret }),
        refuse,
      ),
    ],
  }),
)

/** Settings of an identity provider whose access tokens are accepted. */
export const issuerSettings = section(
  {
    issuer: setting('OIDC_ISSUER', z.url().optional(), 'an identity provider whose access tokens are accepted'),
    jwksUrl: setting(
      'OIDC_JWKS_URL',
      z.url().optional(),
      'URL of the keys of OIDC_ISSUER; by default OIDC_ISSUER/.well-known/jwks.json',
    ),
    audience: setting('OIDC_AUDIENCE', text, 'audience of its tokens; required with OIDC_ISSUER'),
  },
  ({ issuer, audience, jwksUrl }, refuse) => {
    if (issuer === undefined) return { outsideIssuer: undefined }
    if (audience === undefined)
      return refuse(
        'OIDC_ISSUER requires OIDC_AUDIENCE, the audience of tokens for this API: without it, tokens for other ' +
          'applications would be accepted.',
      )
    const keys = jwksUrl ?? `${withoutSlash(issuer)}/.well-known/jwks.json`
    return { outsideIssuer: { issuer, audience, jwksUrl: keys } }
  },
)
