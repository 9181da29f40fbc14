# Tests that need a kernel of their own with cgroup v2: see internal/vmtest.
# VMTEST_FLAGS passes flags on, such as -suites '^cgroup$$' -run TestLimits.
VMTEST_NEEDS = deps $(INITBIN)/safe-exec-init $(INITBIN)/safe-exec-init-faults $(SHIM)/.built $(LAUNCH)/.built

.PHONY: vmtest vmtest-full vmtest-self
vmtest: $(VMTEST_NEEDS) ## Run the tests on cgroup v2 in a virtual machine
	go run ./internal/vmtest/run $(VMTEST_FLAGS)

# The whole battery and the ablation on top: about an hour.
vmtest-full: $(VMTEST_NEEDS) ## The same with the whole battery and the ablation: an hour
	go run ./internal/vmtest/run -full -timeout 4h $(VMTEST_FLAGS)

# The runner's own tests that boot machines meant to fail.
vmtest-self: ## Test the runner of the virtual machine
	go test -tags vmtest -count=1 ./internal/vmtest
