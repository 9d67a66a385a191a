-- An entry of the ledger moves the balance, which cannot go below zero. Credit that is added while the budget is used up
-- lifts the freeze until that much more is spent: by what remains of it once what is owed for reversed top-ups is settled.
-- Credit that comes back from a reversal lifts nothing.
CREATE OR REPLACE FUNCTION credit_posted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  account project_accounts;
  at timestamptz := platform_now();
  remaining numeric;
BEGIN
  SELECT * INTO account FROM project_accounts WHERE project_id = NEW.project_id FOR UPDATE;
  IF NEW.from_account = 'credit' THEN
    UPDATE project_accounts SET credit_usd = credit_usd - NEW.amount_usd WHERE project_id = NEW.project_id;
    RETURN NULL;
  END IF;
  UPDATE project_accounts SET credit_usd = credit_usd + NEW.amount_usd WHERE project_id = NEW.project_id;
  IF NEW.source LIKE 'reversal:%' THEN RETURN NULL; END IF;
  remaining := least(NEW.amount_usd, account.credit_usd + NEW.amount_usd - (SELECT coalesce(sum(owed_usd(r)), 0)
    FROM payment_reversals r WHERE r.project_id = NEW.project_id AND r.checkout_id IS NOT NULL));
  IF remaining > 0 AND account.budget_freezes
    AND budget_used_up(account.project_id, account.budget_limit_usd, account.budget_lift_usd, account.budget_lift_month) THEN
    UPDATE project_accounts SET budget_lift_month = month_of(at), budget_lift_usd = remaining - budget_limit_usd
      -- The lift has twelve decimals: rounded up, so that no credit is worth less than itself.
      + ceil(dollar_seconds(project_id, at) / seconds_between(month_start(at), month_end(at)) * 1000000000000) / 1000000000000
    WHERE project_id = NEW.project_id;
  END IF;
  RETURN NULL;
END $$;

-- Reversed top-ups of which something is owed: the worker looks for credit to settle it from.
CREATE INDEX "payment_reversals_owed_idx" ON "payment_reversals" ("project_id")
  WHERE "checkout_id" IS NOT NULL AND "refunded_usd" + "disputed_usd" > "recovered_usd";
