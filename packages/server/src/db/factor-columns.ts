/** The columns of second factors and passkeys, as `tables` in `columns.ts` describes columns. */
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
  recovery_code: { user_id: 'uuid', code_hash: 'text' },
} as const
