/** The columns of second factors, passkeys and identities at providers, as in `tables` of `columns.ts`. */
export const factorTables = {
  second_factor: {
    user_id: 'uuid',
    sealed_secret: 'text',
    sealed_with: 'text',
    last_step: 'integer',
    created_at: 'timestamp',
  },
  passkey: {
    user_id: 'uuid',
    credential_id: 'text',
    public_key: 'text',
    uses: 'integer',
    name: 'text',
    created_at: 'timestamp',
    last_used_at: 'timestamp?',
  },
  used_challenge: { challenge_hash: 'text', used_at: 'timestamp' },
  provider_identity: {
    issuer: 'text',
    audience: 'text',
    subject: 'text',
    user_id: 'uuid',
    created_at: 'timestamp',
  },
  recovery_code: { user_id: 'uuid', code_hash: 'text' },
} as const
