-- Counts tests by receiver, and all together in rounds of the 21 that a budget can have at most: two rounds may begin in
-- the same millisecond.
CREATE OR REPLACE FUNCTION alert_tests(of_project uuid, lately interval) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(greatest(max(tests), sum(tests) / 21), 0) FROM (
    SELECT count(*) AS tests FROM alert_deliveries
    WHERE project_id = of_project AND alert_id IS NULL AND created_at > platform_now() - lately GROUP BY channel, target) AS receivers);
END $$;
